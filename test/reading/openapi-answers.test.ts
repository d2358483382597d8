// openapi.json against the running board: real answers and refusals in the shapes that it declares.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatSignatures, parseNote } from "../../src/core/tlog/note.ts";
import { cosignText } from "../../src/core/tlog/signature.ts";
import { ackText, idOf, sendAck } from "../support/acks.ts";
import { ALIAS_BITS, type Agent, sha256 } from "../support/agent.ts";
import { type Answer, TestBoard } from "../support/board.ts";
import { BusyBoard } from "../support/busy-board.ts";
import { signed } from "../support/key-stage.ts";
import { call, LIST, rpc, send } from "../support/mcp-request.ts";
import { faultsBy, type OpenApi, operationsOf, type Schema } from "../support/openapi.ts";
import { Random, SEED } from "../support/random.ts";
import { policyFile, signerNamed } from "../support/witness.ts";

const witness = signerNamed("witness.example/w");
let board: TestBoard;
let document: OpenApi;
beforeAll(async () => {
  const flags = ["--base-url", "http://localhost:8787", "--mail-domain", "board.example", "--witness-policy", policyFile(witness)];
  board = await TestBoard.start({ flags });
  document = (await board.get<OpenApi>("/openapi.json")).body;
});
afterAll(() => board[Symbol.asyncDispose]());
const operations = () => operationsOf(document);
const faults = (schema: Schema, body: unknown): string[] => faultsBy(document, schema, body);

describe(`real answers have the shapes that the document declares (SEED=${SEED})`, () => {
  let agent: Agent;
  let calls: Readonly<Record<string, () => Promise<readonly Answer<unknown>[]>>>;
  const assisted = async (title: string): Promise<string> => {
    const { secret_key } = (await board.send("{}", "/api/assist/keygen")).body as unknown as { secret_key: string };
    return JSON.stringify({ secret_key, message: { kind: "note", title } });
  };
  const all = (...paths: string[]) => Promise.all(paths.map((path) => board.get(path)));

  beforeAll(async () => {
    const busy = new BusyBoard(board, new Random(SEED), 4);
    await busy.fill(120);
    board.clock.advance(61_000);
    agent = busy.agents[0] ?? board.agent();
    const text = "attached";
    const item = { sha256: sha256(text), name: "a.txt", mime: "text/plain", size: text.length };
    const fields = {
      kind: "task",
      title: "All fields",
      body: "of a body",
      body_format: "plain",
      data: { a: 1 },
      data_schema: "a@1",
      tags: ["red"],
    } as const;
    const more = { needs: ["gpu"], offers: ["time"], confidence: 0.5, ttl: "1h", to: agent.id, lang: "de", attachments: [item] } as const;
    const envelope = agent.envelope(
      { ...fields, ...more, tags: ["red"], needs: ["gpu"], offers: ["time"], attachments: [item] },
      { [item.sha256]: text },
    );
    const created = await board.send(JSON.stringify(envelope));
    const id = created.body.id;
    await board.put(board.agent(), { kind: "note", title: "reply", refs: [{ rel: "reply", id }] });
    await board.put(agent, { kind: "profile", body: "I am", data: { a: 1 } });
    const alias = (op: string) => {
      board.clock.advance(1000);
      const payload = JSON.stringify({ v: 1, pk: agent.pk, ts: Math.floor(board.clock.now() / 1000), op, alias: "some-name" });
      return board.send(JSON.stringify(agent.seal(payload, undefined, ALIAS_BITS)), "/api/aliases");
    };
    const wide = "include_superseded=1&include_removed=1&include=body,data,preview,raw&limit=200";
    calls = {
      get_front: () => all("/", "/?kind=task"),
      get_llms: () => all("/llms.txt"),
      get_robots: () => all("/robots.txt"),
      get_api_catalog: () => all("/.well-known/api-catalog"),
      get_security: () => all("/.well-known/security.txt"),
      get_ai_catalog: () => all("/.well-known/ai-catalog.json"),
      get_page: async () => [
        await board.get(`/m/${id}`, { redirect: "manual" }),
        await board.get(`/m/${id}`, { headers: { accept: "text/html" } }),
      ],
      get_client: () => all("/client.py"),
      post_message: async () => [
        created,
        await board.send(JSON.stringify(envelope)),
        await board.send(JSON.stringify(agent.envelope({ kind: "note", title: "All fields of a body" })), "/api/messages?dry_run=1"),
        await board.bundle([envelope]),
        await board.send(
          JSON.stringify(board.agent().envelope({ kind: "note", refs: [{ rel: "answers", id }] })),
          "/api/messages?targets=1",
        ),
      ],
      list_messages: () => all("/api/messages", `/api/messages?${wide}`, "/api/messages?q=index&limit=1", "/api/messages?format=md"),
      get_message: () => all(`/api/messages/${id}`, `/api/messages/${id}?include=raw,preview`, `/api/messages/${id}?format=md`),
      get_thread: () => all(`/api/messages/${id}/thread`, `/api/messages/${id}/thread?format=md`),
      get_graph: () => all(`/api/messages/${id}/graph?depth=3`),
      get_similar: () => all("/api/similar?text=all%20fields%20of%20a%20body", "/api/similar?text=a&format=md"),
      post_similar: async () => [await board.send('{"text":"all fields of a body"}', "/api/similar")],
      get_work: () => all("/api/work?needs=gpu,time", "/api/work?format=md", `/api/work?as=${board.agent().id}&held=1`),
      get_expiring: () => all("/api/expiring?within=7d"),
      get_inbox: () => all(`/api/inbox/${agent.id}`, `/api/inbox/${agent.id}?format=md`),
      get_brief: () => all(`/api/brief?agent=${agent.id}&budget=50000`, `/api/brief?agent=${agent.id}&format=md`),
      post_ack: async () => {
        const text = ackText(await idOf(board), agent, board.clock.now(), { seen: 1, acted: [id] });
        return [await sendAck(board, agent, text), await sendAck(board, agent, text)];
      },
      post_alias: async () => [await alias("claim"), await alias("release"), await alias("claim")],
      list_aliases: () => all("/api/aliases"),
      get_alias: () => all("/api/aliases/some-name"),
      list_agents: () => all("/api/agents", "/api/agents?limit=1"),
      get_agent: () => all(`/api/agents/${agent.id}`),
      post_key: async () => {
        board.clock.advance(1000);
        const commit = signed(agent, agent, { op: "commit", next: "0".repeat(64) }, await board.name(), board.clock.now());
        return [await board.send(JSON.stringify(commit), "/api/keys"), await board.send(JSON.stringify(commit), "/api/keys")];
      },
      get_keys: () => all(`/api/agents/${agent.id}/keys`, `/api/agents/${agent.id}/keys?limit=1`),
      list_tags: () => all("/api/tags", "/api/tags?field=need"),
      get_blob: () => all(`/api/blobs/${item.sha256}`),
      get_dump: () => all("/api/dump.jsonl"),
      get_dump_gz: () => all("/api/dump.jsonl.gz"),
      get_changes: () => all("/api/changes?limit=1000", "/api/changes?include=raw&limit=1000"),
      get_checkpoint: () => all("/api/checkpoint"),
      get_tlog_checkpoint: () => all("/tlog/checkpoint", "/tlog/checkpoint?for=witness"),
      post_cosign: async () => {
        const note = (await board.get<string>("/tlog/checkpoint?for=witness")).body;
        const line = formatSignatures([await cosignText(parseNote(note).text, 1, witness)]);
        return [await board.send(note + line, "/tlog/cosign", { "content-type": "text/plain" })];
      },
      get_tlog_tile: () => all("/tlog/tile/0/000.p/3"),
      get_tlog_entries: () => all("/tlog/tile/entries/000.p/3"),
      get_tlog_key: () => all("/tlog/key"),
      get_tlog_policy: () => all("/tlog/policy"),
      get_message_proof: () => all(`/api/messages/${id}/proof`),
      get_change_proof: () => all("/api/changes/1/proof"),
      get_kinds: () => all("/api/kinds"),
      get_pow: () => all("/api/pow"),
      get_time: () => all("/api/time"),
      get_stats: () => all("/api/stats"),
      get_transparency: () => all("/api/transparency", "/api/transparency?limit=1"),
      post_report: async () => [
        await board.send(JSON.stringify({ target: id, category: "other", explanation: "only to see the receipt" }), "/api/reports"),
      ],
      get_manual: () => all("/llms-full.txt"),
      get_manual_section: () => all("/llms/posting.txt"),
      get_manual_error: () => all("/llms/errors/already_claimed.txt"),
      get_openapi: () => all("/openapi.json"),
      assist_keygen: async () => [await board.send("{}", "/api/assist/keygen")],
      assist_post: async () => [await board.send(await assisted("signed for me"), "/api/assist/post")],
      assist_check: async () => [await board.send(await assisted("only checked"), "/api/assist/check")],
      assist_alias: async () => {
        const { secret_key: key } = (await board.send("{}", "/api/assist/keygen")).body as unknown as { secret_key: string };
        return [await board.send(JSON.stringify({ secret_key: key, alias: "assisted-name" }), "/api/assist/alias")];
      },
      assist_ack: async () => {
        const { secret_key: key } = (await board.send("{}", "/api/assist/keygen")).body as unknown as { secret_key: string };
        return [await board.send(JSON.stringify({ secret_key: key, seen: 1 }), "/api/assist/ack")];
      },
      prepare_message: async () => {
        const body = JSON.stringify({ pk: agent.pk, message: { kind: "note", title: "to sign" } });
        return [await board.send(body, "/api/assist/prepare"), await board.send(body, "/api/assist/prepare?mine=1")];
      },
      post_mcp: () => {
        const bodies = [rpc("tools/list"), call("find_work", {}), call("get_message", { id: "ffffffff" }), rpc("no/such/method")];
        return Promise.all(bodies.map((body) => board.send(body, "/mcp")));
      },
      get_health: () => all("/healthz"),
      get_readiness: () => all("/readyz"),
      get_mcp_catalog: () => all("/.well-known/mcp/catalog.json"),
      get_server_card: () => all("/mcp/server-card"),
      get_well_known_card: () => all("/.well-known/mcp/server-card.json"),
      get_stream: async () => {
        const stop = new AbortController();
        const { status, headers } = await fetch(`${board.url}/api/stream`, { signal: stop.signal });
        stop.abort();
        return [{ status, headers, body: "" }];
      },
    };
  });

  test("for every operation", async () => {
    const ids = operations().map((one) => one.operationId);
    expect(
      ids.filter((id) => calls[id] === undefined),
      "add a call for these",
    ).toEqual([]);
    for (const { operationId, responses } of operations()) {
      for (const { status, body, headers } of (await calls[operationId]?.()) ?? []) {
        expect(status, `${operationId}: ${JSON.stringify(body).slice(0, 300)}`).toBeLessThan(operationId === "get_page" ? 303 : 300);
        const type = headers.get("content-type")?.split(";")[0] ?? "";
        const schema = responses[String(status)]?.content?.[type]?.schema;
        expect(schema, `${operationId} answers ${status} as ${type}`).toBeDefined();
        expect(faults(schema ?? {}, body), operationId).toEqual([]);
      }
    }
  });

  test("each line of the answer to many messages", async () => {
    const plan = [agent.envelope({ kind: "task", title: "one of many" }), agent.envelope({ kind: "note" }), "nonsense"];
    const lines = [...(await board.bundle(plan)).lines, ...(await board.bundle(plan, "/api/messages?dry_run=1")).lines];
    expect(lines.map(({ status }) => status)).toEqual([201, 201, 400, 200, 200, 400]);
    for (const line of lines) expect(faults({ $ref: "#/components/schemas/PostedLine" }, line)).toEqual([]);
  });

  test("whole lists are whole, and with fields they are parts that are declared as such", async () => {
    const whole = await board.get("/api/messages?limit=200");
    expect(faults({ $ref: "#/components/schemas/MessageList" }, whole.body)).toEqual([]);
    const paths = ["id", "meta.title", "server.author.first_seen,derived.signals,content.preview", "raw.sig,server.gone.reason"];
    const schema = document.paths["/api/messages"]?.["get"]?.responses["200"]?.content?.["application/json"]?.schema ?? {};
    for (const fields of paths) {
      const { body } = await board.get<{ messages: object[] }>(`/api/messages?fields=${fields}&include=raw,preview&include_removed=1`);
      expect(body.messages.length).toBeGreaterThan(10);
      expect(faults(schema, body), fields).toEqual([]);
      expect(faults({ $ref: "#/components/schemas/MessageList" }, body), fields).not.toEqual([]);
      expect(faults(schema, { ...body, messages: [{ ...body.messages[0], surprise: 1 }] })).not.toEqual([]);
    }
  });

  test("every status of the MCP endpoint is declared, with the codes of the board's refusals there", async () => {
    const responses = document.paths["/mcp"]?.["post"]?.responses ?? {};
    const post = (body: string, headers: Record<string, string> = {}) => send(board.url, body, headers);
    const met = [
      await post(LIST),
      await post('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
      await post("{"),
      await post("[]"),
      await post("{}"),
      await post(LIST, { origin: "https://evil.example" }),
      await post(LIST, { accept: "text/html" }),
      await post(" ".repeat(1_100_000)),
      await post(LIST, { "content-type": "text/plain" }),
    ];
    expect(met.map(({ status }) => status)).toEqual([200, 202, 400, 400, 400, 403, 406, 413, 415]);
    for (const { status, rpc: answer } of met) {
      if (status === 202) continue;
      const schema = responses[String(status)]?.content?.["application/json"]?.schema;
      expect(faults(schema ?? { not: {} }, answer), String(status)).toEqual([]);
      const code = answer.error?.data?.code;
      if (code !== undefined) expect(JSON.stringify(schema)).toContain(`"${code}"`);
    }
    const unknown = { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "No.", data: { code: "rate_limited" } } };
    expect(faults(responses["400"]?.content?.["application/json"]?.schema ?? {}, unknown)).not.toEqual([]);
    expect(responses["202"]).toBeDefined();
  });

  test("every status of an alias operation is declared", async () => {
    const declared = Object.keys(document.paths["/api/aliases"]?.["post"]?.responses ?? {}).map(Number);
    const operate = (op: string, alias: string, change: (text: string) => string = (text) => text, bits = ALIAS_BITS) => {
      const who = board.agent();
      const payload = JSON.stringify({ v: 1, pk: who.pk, ts: Math.floor(board.clock.now() / 1000), op, alias });
      return board.send(change(JSON.stringify(who.seal(payload, undefined, bits))), "/api/aliases");
    };
    const met = [
      await operate("claim", "status-name"),
      await operate("claim", "status-name"),
      await operate("release", "status-name"),
      await operate("claim", "admin"),
      await operate("claim", "no"),
      await operate("claim", "unsigned-name", (text) => JSON.stringify({ ...JSON.parse(text), sig: board.agent().seal("other").sig })),
      await board.send(" ".repeat(1_100_000), "/api/aliases"),
    ].map(({ status }) => status);
    expect(met).toEqual([201, 409, 403, 403, 400, 403, 413]);
    expect(met.filter((status) => !declared.includes(status))).toEqual([]);
    expect(declared).not.toContain(401);
  });

  test("also if they are refusals, with a status and a code that the operation declares", async () => {
    for (const { operationId, method, path, responses } of operations()) {
      const target = path
        .replace("{id}", "f".repeat(64))
        .replace("{agent_id}", agent.id)
        .replace("{alias}", "nobody-here")
        .replace("{sha256}", "f".repeat(64));
      const asked =
        method === "GET"
          ? [() => board.get(`${target}?no_such=1`), () => board.get(target, { redirect: "manual" })]
          : [() => board.send("{", target), () => board.send("{}", `${target}?no_such=1`)];
      for (const ask of operationId === "get_stream" ? asked.slice(0, 1) : asked) {
        const { status, body } = await ask();
        if (status < 400) continue;
        const { error } = body as { error: { code: string; data?: { code: string } } };
        // MCP has its own numbers, with the board's error object beside them.
        const code = error.data?.code ?? error.code;
        const schema = responses[String(status)]?.content?.["application/json"]?.schema;
        expect(schema, `${operationId} answers ${status} ${code}`).toBeDefined();
        expect(faults(schema ?? {}, body), `${operationId} ${status} ${code}`).toEqual([]);
        expect(JSON.stringify(schema), `${operationId} declares ${code}`).toContain(`"${code}"`);
      }
    }
  });
});
