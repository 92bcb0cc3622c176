import { z } from "zod";
import { fieldError } from "../http/errors.ts";

/** PostgreSQL's years end there; larger numbers would fail there. */
const US_MOST = 9_000_000_000_000_000;
const Whole = (most: number) => z.number().int().min(0).max(most);
const Id = Whole(999_999_999_999_999);
const storable = (text: string) => !text.includes("\0") && text.isWellFormed();

const PeoplePlace = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("name"), key: z.string().refine(storable), id: Id }),
  z.strictObject({ by: z.literal("created"), key: z.number().int().min(-US_MOST).max(US_MOST), id: Id }),
  z.strictObject({ by: z.literal("seq"), key: Whole(US_MOST) }),
]);
export type PeoplePlace = z.infer<typeof PeoplePlace>;

const EventPlace = z.strictObject({
  us: Whole(US_MOST),
  kind: z.enum(["campaign", "reply"]),
  id: Id,
});
export type EventPlace = z.infer<typeof EventPlace>;

export const writeCursor = (place: PeoplePlace | EventPlace): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

export const readPeopleCursor = (text: string | undefined) => read(PeoplePlace, text);
export const readEventCursor = (text: string | undefined) => read(EventPlace, text);

export const badCursor = () => fieldError({ cursor: "invalid" });

function read<Place>(schema: z.ZodType<Place>, text: string | undefined): Place | null {
  if (text === undefined) return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  } catch {
    throw badCursor();
  }
}
