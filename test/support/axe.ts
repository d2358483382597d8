// Checks the accessibility of a page with axe-core: every rule of WCAG 2.2 A and AA, and its best practices.
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** The faults, in short; empty if there are none. With `only`, checks these rules. */
export async function axeFindings(page: Page, only?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(axe.source);
  const violations = await page.evaluate<readonly Finding[]>(
    `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...(only === undefined ? { rules: { "target-size": { enabled: true } } } : { runOnly: only }) })}).then((result) => result.violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 160)} ${failureSummary.replaceAll(/\s+/g, " ").slice(0, 200)}`),
  );
}
