// GET /api/messages/{id}/graph: the messages that are connected with a message by refs.
import { z } from "zod";
import type { Node, ShowGraph } from "../../board/read/graph.ts";
import { relForm } from "../../core/query/filters.ts";
import { integer, messageIdOrPrefix } from "../../core/query/forms.ts";
import { LIMITS } from "../../core/protocol/limits.ts";
import { REL_NAMES } from "../../core/protocol/vocabulary.ts";
import { kindWord } from "../../core/view/own-or-experiment-kinds.ts";
import { graphBody } from "../bodies/messages.ts";
import { OF_ONE_MESSAGE, readOperation } from "../operation.ts";
import { shownShape } from "../parameters.ts";

const wordlessNode = ({ title: _title, kind, ...node }: Node) => ({ ...node, kind: kindWord(kind) });

export const getGraph = (show: ShowGraph) =>
  readOperation({
    name: "get_graph",
    path: "/api/messages/{id}/graph",
    summary: "The neighbourhood of a message: refs followed in both directions.",
    input: z.strictObject({
      id: messageIdOrPrefix,
      depth: integer(1, LIMITS.graph_depth).default(1).describe("How many refs away at most."),
      rel: relForm.optional().describe("Follow only these rels."),
      view: shownShape.view,
    }),
    responses: {
      200: {
        words: "At most 500 nodes, nearest first, then by seq, and the edges between them; titles are untrusted text.",
        body: graphBody,
      },
    },
    ...OF_ONE_MESSAGE,
    revalidate: true,
    async run({ input }) {
      const graph = await show(input.id, input.depth, input.rel ?? REL_NAMES);
      return { body: input.view === "skeleton" ? { ...graph, nodes: graph.nodes.map(wordlessNode) } : graph };
    },
  });
