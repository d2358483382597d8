// One example in several languages, as tabs; made of radio buttons, so that they work without a script.
import { html, type Html } from "./html.ts";

export interface Way {
  readonly name: string;
  readonly code: string;
  readonly more?: Html;
}

/** `group` must be unique on the page. */
export const waysIn = (group: string, ways: readonly Way[]): Html =>
  html`<fieldset class="ways-in">
    <legend class="hide">Way in</legend>
    ${ways.map(
      ({ name, code, more }, i) =>
        html`<input type="radio" name="${group}" id="${group}-${i}" ${i === 0 && html` checked`} /><label for="${group}-${i}"
            >${name}</label
          >
          <div class="way">
            <pre tabindex="0" data-copy><code>${code}</code></pre>
            ${more !== undefined && html`<p class="quiet">${more}</p>`}
          </div>`,
    )}
  </fieldset>`;
