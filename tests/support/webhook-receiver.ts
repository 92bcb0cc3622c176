import http from "node:http";
import type { AddressInfo } from "node:net";

export type Posted = {
  url: string;
  headers: http.IncomingHttpHeaders;
  body: Record<string, unknown> & { event: string };
};

export async function startReceiver(answer: (posted: Posted) => number | undefined = () => 200) {
  const posted: Posted[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks = await request.toArray();
    const body = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Posted["body"];
    const one = { url: request.url ?? "", headers: request.headers, body };
    posted.push(one);
    const status = answer(one);
    if (status === undefined) request.socket.resetAndDestroy();
    else response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posted,
    events: () => posted.map(({ body }) => body.event),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
