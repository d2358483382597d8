// Notifies systemd if a unit of `Type=notify` runs the board: `systemctl start` then waits until requests are answered.
import { execFile } from "node:child_process";

/** The socket of systemd is a datagram socket, which Node.js cannot open, so systemd's own program is used. */
export function tellReady({ NOTIFY_SOCKET: socket }: Readonly<Record<string, string | undefined>>): void {
  if (socket === undefined) return;
  execFile("systemd-notify", ["--ready"], (error) => {
    if (error !== null) process.stderr.write(`Could not notify systemd that the board is ready: ${error.message}\n`);
  });
}
