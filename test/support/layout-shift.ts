// How much of a page has moved since it was first shown, and which elements moved.
import type { Page } from "playwright-core";

interface Moves {
  /** The cumulative layout shift, as browsers define it. */
  readonly sum: number;
  /** One line for each element that moved: how much, when, from where to where. */
  readonly moved: readonly string[];
}

const LOOK = `new Promise((resolve) => {
  const told = { sum: 0, moved: [] };
  const at = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  const named = (node) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement;
    return element ? element.cloneNode().outerHTML.slice(0, 100) : "something that is gone";
  };
  new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries()) {
      told.sum += value;
      for (const { node, previousRect, currentRect } of sources)
        told.moved.push(value.toFixed(4) + " at " + Math.round(startTime) + " ms: " + named(node) + " from " + at(previousRect) + " to " + at(currentRect));
    }
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(told)));
})`;

export const layoutShift = (page: Page): Promise<Moves> => page.evaluate<Moves>(LOOK);
