/** Light or dark, as the reader's system is; paper is always light. */
const DARK = "awsui-dark-mode";

export function followScheme(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.body.classList.toggle(DARK, dark.matches);
  dark.addEventListener("change", follow);
  window.addEventListener("beforeprint", () => document.body.classList.remove(DARK));
  window.addEventListener("afterprint", follow);
  follow();
}
