// Adds a copy button to code examples.
import { all, button, make } from "./dom.ts";

const SAID_MS = 2000;

export function offerCopies(): void {
  for (const code of all("[data-copy]")) {
    const copy = button(
      "Copy",
      async () => {
        await navigator.clipboard.writeText(code.textContent ?? "");
        copy.textContent = "Copied";
        setTimeout(() => (copy.textContent = "Copy"), SAID_MS);
      },
      { className: "copy" },
    );
    code.replaceWith(make("div", { className: "copyable" }, code.cloneNode(true), copy));
  }
}
