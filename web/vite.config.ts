import react from "@vitejs/plugin-react";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

// The build is one file inside the Python package; it is committed, so that installing needs no Node.
export default defineConfig({
  plugins: [react(), viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: "../src/fieldwise/render/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { input: "studio.html" },
  },
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    server: { deps: { inline: [/@cloudscape-design/] } },
  },
});
