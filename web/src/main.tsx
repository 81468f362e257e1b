import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { loadData } from "./data/load";
import { rememberPlaces } from "./state/places";
import { followScheme } from "./state/scheme";
import "./styles.css";

followScheme();
rememberPlaces();
const element = document.getElementById("studio");
if (element) {
  const data = loadData(document.getElementById("answers"));
  createRoot(element).render(
    <StrictMode>
      <App data={data} />
    </StrictMode>,
  );
}
