import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const DEPLOY = path.join(import.meta.dirname, "..", "deploy");
const read = (...place: string[]) => fs.readFileSync(path.join(DEPLOY, ...place), "utf8");

test("27.10 F12 every unit has a memory limit that a machine of 2 GB can bear", () => {
  for (const unit of fs.readdirSync(path.join(DEPLOY, "systemd"))) {
    const limits = ["MemoryHigh", "MemoryMax"].map((name) =>
      Number(new RegExp(`^${name}=(\\d+)M$`, "m").exec(read("systemd", unit))?.[1]),
    );
    const [high = 0, most = 0] = limits;
    expect([unit, high >= 256, high < most, most <= 1_536]).toEqual([unit, true, true, true]);
  }
});

test("27.10 F12 every container has a memory limit, and together they fit into 2 GB", () => {
  const services = read("compose.yaml").split("\nservices:\n")[1]?.split("\nvolumes:")[0] ?? "";
  const names = [...services.matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name);
  const limits = [...services.matchAll(/^ {4}mem_limit: (\d+)m$/gm)].map(([, megabytes]) =>
    Number(megabytes),
  );
  expect(names).toEqual(["postgres", "web", "worker"]);
  expect(limits).toHaveLength(names.length);
  expect(limits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2_048);
});

test("27.10 F12 the image keeps its data folder in a volume, whose owner can write there", () => {
  const lines = read("Dockerfile").split("\n");
  const at = (text: string) => lines.findIndex((line) => line.includes(text));
  const folder = /RECADO_DATA=(\S+)/.exec(read("Dockerfile"))?.[1];
  expect(lines).toContain(`VOLUME ${folder}`);
  // What is made after the VOLUME line is not in the volume.
  expect(at(`install -d -o recado -g recado -m 0700 ${folder}`)).toBeLessThan(at("VOLUME"));
});
