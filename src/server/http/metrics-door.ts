import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../domain/errors.ts";
import type { App } from "./app.ts";

/** What answers a scrape, and the token that opens it. */
export type MetricsDoor = { token: string; text(): Promise<string>; contentType: string };

const digest = (text: string) => createHash("sha256").update(text).digest();

/** `GET /metrics` for Prometheus: `Authorization: Bearer` with the operator's token. Without a token there is no such address. */
export function mountMetrics(app: App, door: MetricsDoor | null): void {
  const wanted = door && digest(`Bearer ${door.token}`);
  app.hono.get("/metrics", async (c) => {
    if (!door || !wanted) throw new AppError("not_found");
    // Digests, which are of one length: nothing is learnt from how long a comparison takes.
    if (!timingSafeEqual(digest(c.req.header("authorization") ?? ""), wanted))
      throw new AppError("unauthenticated");
    return new Response(await door.text(), {
      headers: { "content-type": door.contentType, "cache-control": "no-store" },
    });
  });
}
