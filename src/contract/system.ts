import { z } from "zod";
import { Language } from "./accounts.ts";
import { endpoint } from "./endpoint.ts";

/**
 * The public sees only the status; the rest needs RECADO_METRICS_TOKEN. Without live `workers` nothing is
 * sent; with `disk.low` soon nothing can be stored.
 */
const HealthDetails = z.object({
  process: z.enum(["all", "web", "worker"]),
  version: z.string(),
  node: z.string(),
  database: z.object({
    up: z.boolean(),
    kind: z.enum(["embedded", "external"]),
    version: z.string().nullable(),
  }),
  disk: z.object({ low: z.boolean() }),
  lanes: z.object({ owned: z.number(), connected: z.number() }),
  workers: z.number(),
  uptimeSeconds: z.number(),
});
const Status = z.object({ status: z.enum(["ok", "degraded"]) });
export type Health = z.infer<typeof Status> & z.infer<typeof HealthDetails>;

export const system = {
  health: endpoint({
    method: "GET",
    path: "/api/health",
    anyHost: true,
    summary: "Say what is up; 503 while the database is not. With the operator's token also what runs here",
    access: "public",
    answer: Status.extend(HealthDetails.partial().shape),
  }),
  live: endpoint({
    method: "GET",
    path: "/api/health/live",
    anyHost: true,
    summary: "This process runs, whatever it reaches; one that does not answer is to be restarted",
    access: "public",
    answer: z.object({ status: z.literal("alive") }),
  }),
  ready: endpoint({
    method: "GET",
    path: "/api/health/ready",
    anyHost: true,
    summary: "Whether to send requests here; 503 while the database is away and while this process stops",
    access: "public",
    answer: z.object({ status: z.enum(["ready", "not_ready"]) }),
  }),
  openapi: endpoint({
    method: "GET",
    path: "/api/openapi.json",
    summary: "This description, as OpenAPI 3.1",
    access: "public",
    answer: z.record(z.string(), z.unknown()),
  }),
  docs: endpoint({
    method: "GET",
    path: "/api/docs",
    summary: "This description, as a page to read",
    access: "public",
    answer: "stream",
    media: "text/html",
  }),
  installation: endpoint({
    method: "GET",
    path: "/api/installation",
    summary:
      "Whether this is a restored copy that its operator has not released: nothing is sent and no number is connected; whether its disk is nearly full; and whether no process works: nothing is sent, and what is shown of connections is how they were last",
    access: "user",
    answer: z.object({
      restored: z.object({ madeAt: z.string(), restoredAt: z.string() }).nullable(),
      diskLow: z.boolean(),
      idle: z.boolean(),
    }),
  }),
  language: endpoint({
    method: "PUT",
    path: "/api/language",
    summary: "Choose the language of this browser's pages and answers; kept in a cookie",
    access: "public",
    body: z.strictObject({ language: Language }),
    answer: z.void(),
    status: 204,
    maxBody: 1024,
  }),
};
