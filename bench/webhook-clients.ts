import { connect, type Socket } from "node:net";

/** Each client waits for its answer before its next request, as a gateway's workers do. Answers how long each answer took, in ms. */
export async function postAll(port: number, requests: readonly Buffer[], atOnce: number): Promise<number[]> {
  const waits: number[] = [];
  let next = 0;
  const client = async () => {
    const socket = await open(port);
    for (let request = requests[next++]; request; request = requests[next++]) {
      const start = performance.now();
      await exchange(socket, request);
      waits.push(performance.now() - start);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return waits;
}

/** Made before the clock runs: whoever asks must cost as little as can be, for they share the machine with whoever answers. */
export function requestOf(path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const head = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  return Buffer.from(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${head}\r\n${body}`);
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.setNoDelay();
    socket.once("error", reject);
  });
}

/** An answer is complete when its body is as long as its head says. */
function exchange(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    const take = (part: Buffer) => {
      text += part.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      socket.off("data", take);
      if (text.startsWith("HTTP/1.1 200 ")) resolve();
      else reject(new Error(text));
    };
    socket.on("data", take);
    socket.write(request);
  });
}
