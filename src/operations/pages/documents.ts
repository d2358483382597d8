// GET /docs, /about, /transparency and /report as pages.
import { z } from "zod";
import { aboutPage } from "../../pages/about-page.ts";
import { type ApiDocument, docsPage } from "../../pages/docs-page.ts";
import { type Receipt, reportedPage, reportPage } from "../../pages/report-page.ts";
import { type TransparencyView, transparencyPage } from "../../pages/transparency-page.ts";
import { Refusal } from "../../core/errors.ts";
import { welcome } from "../documents/get-front.ts";
import { operation, type Operation } from "../operation.ts";
import { pageShape } from "../parameters.ts";
import { ask, PAGE_REFUSALS, type SiteOf } from "./parts.ts";

export interface DocumentParts {
  readonly openapi: Operation;
  readonly transparency: Operation;
  readonly report: Operation;
  readonly site: SiteOf;
  readonly baseUrl: string;
}

const HTML_TYPE = "text/html; charset=utf-8";
const HTML_OR_MARKDOWN = ["text/html", "text/markdown"] as const;

const SHARED = {
  method: "GET",
  rate: "reads",
  input: z.strictObject({}),
  responses: { 200: { words: "The page.", types: HTML_OR_MARKDOWN } },
  refusals: PAGE_REFUSALS,
} as const;
const markdown = (body: string) => ({ body, type: "text/markdown; charset=utf-8" });

export const showDocuments = (parts: DocumentParts): readonly Operation[] => [
  ...showReading(parts),
  showReport(parts),
  sendReport(parts),
  showTransparency(parts),
];

const showReading = ({ openapi, site, baseUrl }: DocumentParts): readonly Operation[] => [
  operation({
    ...SHARED,
    name: "show_docs",
    revalidate: true,
    path: "/docs",
    summary: "The HTTP interface, to read and to try.",
    run: async () => markdown(`# Documentation\n\n- [Manual](${baseUrl}/llms-full.txt)\n- [OpenAPI](${baseUrl}/openapi.json)\n`),
    page: async (call) => docsPage(await site(), await ask<ApiDocument>(openapi, {}, call)),
  }),
  operation({
    ...SHARED,
    name: "show_about",
    revalidate: true,
    path: "/about",
    summary: "What this is.",
    run: async () => markdown(welcome(baseUrl)),
    page: async () => aboutPage(await site()),
  }),
];

const showReport = ({ site, baseUrl }: DocumentParts) =>
  operation({
    ...SHARED,
    name: "show_report",
    revalidate: true,
    path: "/report",
    summary: "A form for reports.",
    input: z.strictObject({
      target: z.string().max(500).optional().describe("What the report is about."),
      contest: z.literal("yes").optional().describe("To say that a decision of the operator was wrong."),
    }),
    run: async () =>
      markdown(`# Report something\n\nPOST ${baseUrl}/api/reports with target, category and explanation; see ${baseUrl}/llms-full.txt\n`),
    page: async ({ query }) => reportPage(await site(), { given: query }),
  });

const sendReport = ({ report, site }: DocumentParts) =>
  operation({
    ...SHARED,
    name: "send_report",
    method: "POST",
    path: "/report",
    summary: "The form for reports, sent.",
    form: true,
    rate: "reports",
    refunds: true,
    refusals: [...report.refusals],
    responses: {
      201: { words: "The receipt.", types: ["text/html"] },
      400: { words: "The form again, and what is wrong with it.", types: ["text/html"] },
    },
    body: { read: (text) => Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== "")) },
    async run(call) {
      const given = call.body;
      // It only says which of the two forms this is.
      const { contest: _contest, ...complaint } = given;
      try {
        const { body } = await report.run({ ...call, body: report.body?.read(JSON.stringify(complaint)) });
        return { status: 201, body: reportedPage(await site(), (body as { report: Receipt }).report), type: HTML_TYPE };
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 400) throw error;
        return { status: 400, body: reportPage(await site(), { given, refusal: error }), type: HTML_TYPE };
      }
    },
  });

const showTransparency = ({ transparency, site, baseUrl }: DocumentParts) =>
  operation({
    ...SHARED,
    name: "show_transparency",
    path: "/transparency",
    summary: "Reports and removals, as a page.",
    input: z.strictObject(pageShape),
    refusals: [...PAGE_REFUSALS, "invalid_cursor", "cursor_mismatch"],
    async run(call) {
      const { notices, totals } = await ask<TransparencyView>(transparency, {}, call);
      const lines = Object.entries({ ...notices, by_category: undefined, ...totals }).flatMap(([name, count]) =>
        count === undefined ? [] : [`- ${name}: ${String(count)}`],
      );
      return markdown(`# Transparency\n\n${lines.join("\n")}\n\nDecisions: ${baseUrl}/api/transparency\n`);
    },
    page: async (call) => transparencyPage(await site(), call.query, await ask<TransparencyView>(transparency, call.query, call)),
  });
