// One connection to a Nostr relay, for `drive`: sends its next event or question when an earlier one is answered.
import { connect } from "node:net";
import type { Converse } from "./load.ts";
import { handshake, ServerFrames } from "./websocket.ts";

/** `depth` requests may wait for their answers on one connection at once. */
export const nostrConversation =
  (depth: number): Converse =>
  (port, take, note) =>
    new Promise((resolve, reject) => {
      const sentAt: number[] = [];
      let events = 0;
      const send = (): void => {
        const frame = take();
        if (frame !== undefined) {
          sentAt.push(performance.now());
          socket.write(frame);
        } else if (sentAt.length === 0) {
          socket.destroy();
          resolve();
        }
      };
      const done = (status: string): void => {
        note(status, performance.now() - (sentAt.shift() ?? Number.NaN));
        send();
      };
      const frames = new ServerFrames((start) => {
        if (start === "") for (let i = 0; i < depth; i++) send();
        else if (start.startsWith('["OK"')) done(/^\["OK","\w+",true/.test(start) ? "accepted" : start);
        else if (start.startsWith('["EVENT"')) events++;
        else if (start.startsWith('["EOSE"')) {
          done(`${events} events`);
          events = 0;
        } else if (!start.startsWith('["AUTH"')) reject(new Error(`The relay said ${start}`));
      });
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => void socket.write(handshake()));
      socket.on("data", (chunk: Buffer) => {
        try {
          frames.take(chunk);
        } catch (error) {
          socket.destroy();
          reject(error);
        }
      });
      socket.on("error", reject).on("end", () => reject(new Error("The relay closed a connection.")));
    });
