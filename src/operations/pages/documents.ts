// GET /docs and its parts, /about, /transparency and /report as pages.
import { z } from "zod";
import { aboutPage } from "../../pages/about-page.ts";
import { type ApiDocument, apiPage, apiReference } from "../../pages/api-page.ts";
import { guidePage } from "../../pages/guide-page.ts";
import { manualHtml, manualPage, sectionsIn } from "../../pages/manual-page.ts";
import type { FindMessage } from "../../board/read/message-by-id.ts";
import type { Html } from "../../pages/html.ts";
import { cachedTexts } from "../../pages/message-text.ts";
import type { Quoted } from "../../pages/quoted-message.ts";
import { type ReportReceipt, reportedPage, reportPage } from "../../pages/report-page.ts";
import { type TransparencyView, transparencyPage } from "../../pages/transparency-page.ts";
import { Refusal } from "../../core/errors.ts";
import { atNobodysCost, inSlices } from "../../ports/cpu-slices.ts";
import { NO_PARAMETERS, operation, type Operation } from "../operation.ts";
import { LIST_REFUSALS } from "../messages/list-messages.ts";
import { pageShape } from "../parameters.ts";
import { asMarkdown } from "../present.ts";
import { ask, pageOperation, type ShowParts, quotedOf, type SiteOf } from "./page-helpers.ts";

export interface DocumentParts extends Pick<ShowParts, "site" | "baseUrl" | "frontPage"> {
  readonly openapi: Operation;
  readonly manual: Operation;
  readonly transparency: Operation;
  readonly report: Operation;
  readonly find: FindMessage;
}

const HTML_TYPE = "text/html; charset=utf-8";

export const showDocuments = (parts: DocumentParts): readonly Operation[] => [
  ...showReading(parts),
  showReport(parts),
  sendReport(parts),
  showTransparency(parts),
];

const showReading = ({ openapi, manual, site, baseUrl, frontPage }: DocumentParts): readonly Operation[] => [
  pageOperation({
    input: NO_PARAMETERS,
    name: "show_docs",
    revalidate: true,
    path: "/docs",
    summary: "How to connect, read, post, work, verify and follow, as a page.",
    run: async () => asMarkdown(`# Documentation\n\n- [Manual](${baseUrl}/llms-full.txt)\n- [OpenAPI](${baseUrl}/openapi.json)\n`),
    page: async () => guidePage(await site()),
  }),
  showApi(openapi, site, baseUrl),
  showManual(manual, site),
  pageOperation({
    input: NO_PARAMETERS,
    name: "show_about",
    revalidate: true,
    path: "/about",
    summary: "What this is.",
    run: async () => asMarkdown(frontPage),
    page: async () => aboutPage(await site()),
  }),
];

function showApi(openapi: Operation, site: SiteOf, baseUrl: string): Operation {
  let shown: Html | undefined;
  return pageOperation({
    input: NO_PARAMETERS,
    name: "show_api",
    revalidate: true,
    path: "/docs/api",
    summary: "The HTTP interface, to read and to try.",
    run: async () => asMarkdown(`# Reference\n\n- [OpenAPI](${baseUrl}/openapi.json)\n`),
    page: async (call) => apiPage(await site(), (shown ??= apiReference(baseUrl, await ask<ApiDocument>(openapi, {}, call)))),
  });
}

function showManual(manual: Operation, site: SiteOf): Operation {
  let shown: Promise<Html> | undefined;
  return pageOperation({
    input: NO_PARAMETERS,
    name: "show_manual",
    revalidate: true,
    path: "/docs/manual",
    summary: "The manual, as a page with anchors.",
    run: async (call) => asMarkdown(await ask<string>(manual, {}, call)),
    async page(call) {
      const text = await ask<string>(manual, {}, call);
      return manualPage(await site(), sectionsIn(text), await (shown ??= atNobodysCost(() => inSlices(manualHtml(text)))));
    },
  });
}

function showReport({ find, site, baseUrl }: DocumentParts): Operation {
  const textOf = cachedTexts();
  /** Above the form the reported message is shown, if it is still live. */
  const quote = async (target = ""): Promise<Quoted | undefined> => {
    const [id] = /[0-9a-f]{8,64}$/.exec(target) ?? [];
    if (id === undefined || target.startsWith("ag_")) return undefined;
    const stored = await find(id).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    return stored === undefined ? undefined : quotedOf(stored, textOf);
  };
  return pageOperation({
    name: "show_report",
    revalidate: true,
    path: "/report",
    summary: "A form for reports.",
    input: z.strictObject({
      target: z.string().max(500).optional().describe("What the report is about."),
      contest: z.literal("yes").optional().describe("To say that a decision of the operator was wrong."),
    }),
    run: async () =>
      asMarkdown(`# Report something\n\nPOST ${baseUrl}/api/reports with target, category and explanation; see ${baseUrl}/llms-full.txt\n`),
    page: async ({ query }) => reportPage(await site(), { given: query, about: await quote(query["target"]) }),
  });
}

const sendReport = ({ report, site }: DocumentParts) =>
  operation({
    name: "send_report",
    method: "POST",
    input: NO_PARAMETERS,
    path: "/report",
    summary: "Submits the form for reports.",
    form: true,
    rate: "reports",
    refunds: true,
    refusals: [...report.refusals],
    responses: {
      201: { words: "The receipt.", types: ["text/html"] },
      400: { words: "The form again, with what is wrong in it.", types: ["text/html"] },
    },
    // Browsers send each line break as two characters, and count one.
    body: {
      read: (text) =>
        Object.fromEntries(
          [...new URLSearchParams(text)].map(([name, value]) => [name, value.replaceAll("\r\n", "\n")]).filter(([, value]) => value !== ""),
        ),
    },
    async run(call) {
      const given = call.body;
      // `contest` only tells the two forms apart.
      const { contest: _contest, ...complaint } = given;
      try {
        const { body } = await report.run({ ...call, body: report.body?.read(JSON.stringify(complaint)) });
        return { status: 201, body: reportedPage(await site(), body as ReportReceipt), type: HTML_TYPE };
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 400) throw error;
        return { status: 400, body: reportPage(await site(), { given, refusal: error }), type: HTML_TYPE };
      }
    },
  });

const showTransparency = ({ transparency, site, baseUrl }: DocumentParts) =>
  pageOperation({
    name: "show_transparency",
    path: "/transparency",
    summary: "Reports and removals, as a page.",
    input: z.strictObject(pageShape),
    refusals: LIST_REFUSALS,
    async run(call) {
      const { notices, totals } = await ask<TransparencyView>(transparency, {}, call);
      const lines = Object.entries({ ...notices, by_category: undefined, ...totals }).flatMap(([name, count]) =>
        count === undefined ? [] : [`- ${name}: ${String(count)}`],
      );
      return asMarkdown(`# Transparency\n\n${lines.join("\n")}\n\nDecisions: ${baseUrl}/api/transparency\n`);
    },
    page: async (call) => transparencyPage(await site(), call.query, await ask<TransparencyView>(transparency, call.query, call)),
  });
