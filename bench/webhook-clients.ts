import { connect, type Socket } from "node:net";

export async function postAll(port: number, requests: readonly Buffer[], atOnce: number): Promise<number[]> {
  const waits: number[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: atOnce }, () => client(port, () => requests[next++], waits)));
  return waits;
}

/** Built before the clock runs: clients share the CPU with the server. */
export function requestOf(path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const head = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return Buffer.from(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${head}\r\n${body}`);
}

function client(port: number, next: () => Buffer | undefined, waits: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let start = 0;
    let length = 0;
    let got = 0;
    const ask = () => {
      const request = next();
      if (!request) return end(socket, resolve);
      start = performance.now();
      got = 0;
      socket.write(request);
    };
    socket.setNoDelay();
    socket.once("connect", ask);
    socket.once("error", reject);
    socket.on("data", (part: Buffer) => {
      if (got === 0 && part[9] !== TWO) return reject(new Error(part.toString("latin1")));
      got += part.length;
      if (length === 0) length = lengthOf(part.toString("latin1"));
      if (got < length) return;
      waits.push(performance.now() - start);
      ask();
    });
  });
}

const TWO = 50;

function end(socket: Socket, resolve: () => void): void {
  socket.destroy();
  resolve();
}

function lengthOf(text: string): number {
  return text.indexOf("\r\n\r\n") + 4 + Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
}
