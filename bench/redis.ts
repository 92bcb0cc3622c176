import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../tests/support/ports.ts";

export type BenchRedis = { port: number; stop(): Promise<void> };

/** The installed Redis on a free port, synced every second as queues recommend; null without one. */
export async function benchRedis(folder: string): Promise<BenchRedis | null> {
  if (spawnSync("redis-server", ["--version"], { stdio: "ignore" }).status !== 0) return null;
  const port = await freePort();
  const data = path.join(folder, "redis");
  fs.mkdirSync(data);
  const settings = {
    port,
    bind: "127.0.0.1",
    dir: data,
    appendonly: "yes",
    appendfsync: "everysec",
    save: "",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child: ChildProcess = spawn("redis-server", args, { stdio: ["ignore", "ignore", "inherit"] });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  while (spawnSync("redis-cli", ["-p", String(port), "ping"], { encoding: "utf8" }).stdout.trim() !== "PONG")
    await pause(50);
  return {
    port,
    async stop() {
      process.off("exit", end);
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
