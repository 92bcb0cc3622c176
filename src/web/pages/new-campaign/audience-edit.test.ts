import { expect, test } from "vitest";
import { EVERYONE } from "../../../domain/audience.ts";
import {
  addSource,
  addWithout,
  changeWithout,
  isPlain,
  questionOf,
  removeSource,
  removeWithout,
  sourcesOf,
} from "./audience-edit.ts";

const NONE = { lists: [], segments: [], campaigns: [] };
const empty = { list: "", audience: EVERYONE };

test("the first list is the form's own, and the next takes its place", () => {
  const two = addSource(addSource(empty, "list", 7), "list", 8);
  expect(two).toMatchObject({ list: "7", audience: { listIds: [8] } });
  expect(addSource(two, "list", 7)).toBe(two);
  expect(isPlain(two)).toBe(false);
  const one = removeSource(two, "list", 7);
  expect([one.list, isPlain(one)]).toEqual(["8", true]);
  expect(removeSource(one, "list", 8)).toEqual(empty);
  const both = addSource(two, "segment", 7);
  expect(sourcesOf(removeSource(both, "segment", 7))).toEqual({ lists: [7, 8], segments: [] });
});

test("what is left out is added once and removed by its kind", () => {
  const once = addWithout(addWithout(addWithout(EVERYONE, "list", 3), "list", 3), "campaign", 3);
  expect(once.without).toMatchObject({ listIds: [3], campaignIds: [3] });
  expect(removeWithout(once, "list", 3).without).toMatchObject({ listIds: [], campaignIds: [3] });
});

test("what is counted leaves out what was deleted, and nothing is asked without a source", () => {
  const chosen = {
    list: "7",
    audience: addWithout(
      changeWithout({ ...EVERYONE, listIds: [8], segmentIds: [2] }, { unanswered: 3 }),
      "campaign",
      5,
    ),
  };
  expect(questionOf(chosen, 4, [], { lists: [7], segments: [2], campaigns: [5] })).toEqual({
    listId: 8,
    audience: { ...EVERYONE, without: { ...EVERYONE.without, unanswered: 3 } },
    connectionId: 4,
    variables: [],
  });
  expect(questionOf(chosen, 4, [], { lists: [7, 8], segments: [2], campaigns: [] })).toBeNull();
  expect(questionOf({ list: "7", audience: EVERYONE }, null, [], NONE)).toMatchObject({
    listId: 7,
    audience: null,
    connectionId: null,
  });
});
