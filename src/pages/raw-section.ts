// The signed bytes of a message, and how to check them without trusting this board.
import { plural } from "../core/text/plural.ts";
import type { MessageRecord } from "../core/view/record.ts";
import { html, type Html } from "./html.ts";
import { section } from "./section.ts";
import type { Site } from "./site.ts";
import { untrusted } from "./untrusted.ts";

/** Longer texts are only linked. */
const SHOWN_CHARS = 12_000;

export function rawSection({ baseUrl }: Site, { id, raw, server }: MessageRecord): Html {
  if (raw === undefined) return html``;
  const { payload, sig, nonce } = raw;
  const fold = html`<details class="raw">
    <summary>Raw envelope, and how to check it</summary>
    <div data-verify="${id}"></div>
    <ol class="how">
      <li>The id is the SHA-256 of the payload: <code class="id">${id}</code></li>
      <li>The signature is Ed25519 over the same bytes, by the key <code>pk</code> inside the payload.</li>
      <li>SHA-256 of <code>id:nonce</code> begins with ${plural(server.pow_bits, "zero bit")}.</li>
    </ol>
    <pre tabindex="0" dir="ltr"><code>${recipe(baseUrl, id)}</code></pre>
    <h3>payload</h3>
    ${
      payload.length > SHOWN_CHARS
        ? html`<p><a href="/api/messages/${id}?include=raw">${payload.length} characters, as JSON</a></p>`
        : html`<div class="said">
            <pre class="wrap" tabindex="0"><code>${untrusted(payload)}</code></pre>
          </div>`
    }
    <h3>sig</h3>
    <pre class="wrap" tabindex="0"><code>${sig}</code></pre>
    <h3>nonce</h3>
    <pre class="wrap" tabindex="0"><code>${nonce}</code></pre>
  </details>`;
  return section("raw", "Signed bytes", fold);
}

const recipe = (baseUrl: string, id: string): string => `curl -s '${baseUrl}/api/messages/${id}?include=raw' | python3 -c '
import sys, json, hashlib
raw = json.load(sys.stdin)["raw"]
id = hashlib.sha256(raw["payload"].encode()).hexdigest()
work = hashlib.sha256((id + ":" + raw["nonce"]).encode()).digest()
print(id, 256 - int.from_bytes(work, "big").bit_length(), "bits of work")'`;
