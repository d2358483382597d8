// Creates elements from text and other elements, never from markup.

type Child = Node | string | false | undefined;

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<Omit<HTMLElementTagNameMap[Name], "style" | "dataset">> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== false && child !== undefined));
  return element;
}

export const find = (selector: string, inside: ParentNode = document): HTMLElement | undefined =>
  inside.querySelector<HTMLElement>(selector) ?? undefined;

export const all = (selector: string, inside: ParentNode = document): HTMLElement[] => [...inside.querySelectorAll<HTMLElement>(selector)];

export function button(words: string, press: () => unknown, more: Partial<HTMLButtonElement> = {}): HTMLButtonElement {
  const made = make("button", { type: "button", textContent: words, ...more });
  made.addEventListener("click", () => void press());
  return made;
}

/** Calls `act` instead of sending the form. */
export function onSubmit(form: HTMLFormElement, act: () => unknown): void {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void act();
  });
}

/** Text that screen readers announce when it changes. */
export const announcer = (): HTMLElement => make("p", { className: "hide", ariaLive: "polite" });
