// The thread in which hostile mail is read; it can be ended at any moment without harm.
import { parentPort } from "node:worker_threads";
import type { Mail } from "../../core/mail/email.ts";
import { type MailIn, MailUnreadable } from "../../ports/mail.ts";
import { authenticate } from "./authenticity.ts";
import { useLineBlob } from "./fast-blob-replacement.ts";
import { readMime } from "./mime.ts";

export type ToThread =
  | { readonly mail: MailIn }
  | { readonly answer: number; readonly records: string[] | string[][] }
  | { readonly answer: number; readonly code: string };

export type FromThread =
  | { readonly ready: true }
  | { readonly question: number; readonly name: string; readonly type: string }
  | { readonly read: Mail }
  | { readonly unreadable: string };

if (parentPort !== null) {
  const port = parentPort;
  useLineBlob();
  const say = (message: FromThread): void => port.postMessage(message);
  const open = new Map<number, { resolve(records: string[] | string[][]): void; reject(error: Error): void }>();
  let asked = 0;

  const ask = (name: string, type: string): Promise<string[] | string[][]> =>
    new Promise((resolve, reject) => {
      open.set(++asked, { resolve, reject });
      say({ question: asked, name, type });
    });

  const read = async (mail: MailIn): Promise<FromThread> => {
    try {
      const mime = await readMime(mail.bytes);
      const auth = await authenticate(mail, mime.from, ask);
      return { read: { ...mime, from: mime.from ?? (mail.sender === "" ? null : mail.sender), auth } };
    } catch (error) {
      if (error instanceof MailUnreadable) return { unreadable: error.message };
      throw error;
    }
  };

  port.on("message", (message: ToThread) => {
    if ("mail" in message) {
      void read(message.mail).then(say);
      return;
    }
    const question = open.get(message.answer);
    open.delete(message.answer);
    if ("records" in message) question?.resolve(message.records);
    else question?.reject(Object.assign(new Error(message.code), { code: message.code }));
  });
  say({ ready: true });
}
