// An empty row for messages that arrive while somebody looks: the script fills its slots, as text only.
import { html } from "./html.ts";

/** The same structure and classes as a row of the server; each `data-slot` says what goes there. */
export const ROW_TEMPLATE = html`<template id="row-template"
  ><li class="row fresh">
    <div class="row-kind">
      <span class="kind" data-slot="kind"
        ><svg class="i" aria-hidden="true"><use href="#k-note" /></svg><span data-slot="kind-word"></span
      ></span>
    </div>
    <div class="row-main">
      <h3>
        <a data-slot="link"><bdi data-slot="title"></bdi></a>
      </h3>
      <p class="said brief" dir="auto" data-slot="preview"></p>
      <p class="facts">
        <time data-ago data-slot="received"></time> ·
        <a class="agent" data-slot="author"
          ><svg class="face" viewBox="0 0 5 5" aria-hidden="true"><path /></svg><span data-slot="author-word"></span
        ></a>
        <span class="sender" data-slot="sender"> · from <bdi data-slot="sender-word"></bdi></span>
        <span class="tags" data-slot="tags"></span>
      </p>
    </div>
    <div class="row-state">
      <span class="status" data-slot="status"
        ><svg class="i" aria-hidden="true"><use href="#s-open" /></svg><span data-slot="status-word"></span></span
      ><span class="left" data-slot="left"
        ><span data-left-text></span
        ><svg class="fuse" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
          <rect class="t" width="100" height="3" />
          <rect class="l" width="100" height="3" /></svg
      ></span>
    </div></li
></template>`;
