import { proto } from "baileys";
import { expect, test } from "vitest";
import { DECIDED } from "./decided.ts";
import { readContent } from "./message-content.ts";

/** Read from the prototype generated for the pinned Baileys. */
const FIELDS = Object.keys(proto.Message.prototype).filter((name) => name !== "toJSON");

test("every kind of message of the pinned Baileys is decided, so that an update cannot bring one that is lost", () => {
  expect(FIELDS.length).toBeGreaterThan(90);
  expect(FIELDS.filter((name) => !Object.hasOwn(DECIDED, name))).toEqual([]);
  const ofGateways = ["buttonMessage"];
  expect(Object.keys(DECIDED).filter((name) => !FIELDS.includes(name))).toEqual(ofGateways);
});

test("only what is decided to be silent makes no message; all else is a line at least, also without content", () => {
  const none = FIELDS.filter((name) => readContent({ [name]: {} }, null) === null);
  const silent = FIELDS.filter((name) => DECIDED[name] === "silent");
  expect(none.toSorted()).toEqual([...silent, "reactionMessage"].toSorted());
});
