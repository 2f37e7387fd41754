import { find, storage } from "./dom.ts";

const THEMES: readonly string[] = ["auto", "light", "dark"];
const KEY = "modelrig.theme";

/** Shows the button that goes through the themes, and the theme that was chosen last. */
export function startThemeButton(): void {
  const button = find("#theme");
  let index = Math.max(0, THEMES.indexOf(storage.get(KEY) ?? ""));
  const show = (): void => {
    const theme = THEMES[index] ?? "auto";
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    button.textContent = `theme: ${theme}`;
  };
  show();
  button.hidden = false;
  button.addEventListener("click", () => {
    index = (index + 1) % THEMES.length;
    storage.set(KEY, THEMES[index] ?? "auto");
    show();
  });
}
