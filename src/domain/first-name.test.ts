import { expect, test } from "vitest";
import { firstName } from "./first-name.ts";

test.each([
  ["Ana Beatriz Rocha", "Ana"],
  ["Ana", "Ana"],
  ["MARIA DA SILVA", "MARIA"],
  ["joão", "joão"],
  ["Dr. João Silva", "Dr. João"],
  ["Dra Paula", "Dra Paula"],
  ["Dona Lúcia Prado", "Dona Lúcia"],
  ["D. Lúcia", "D. Lúcia"],
  ["Dr.", "Dr."],
  ["Drica Moraes", "Drica"],
  ["Silva, João", "Silva"],
  ["Maria-Clara Dias", "Maria-Clara"],
  ["O'Neil Costa", "O'Neil"],
  ["⭐ Ana Paula", "Ana"],
  ["12 Ana", "Ana"],
  ["5531 0001", "5531"],
  ["李 小龍", "李"],
  ["$Ilda Souto", "$Ilda"],
  ["", ""],
])("MS01 the first name of «%s» is «%s»", (name, expected) => expect(firstName(name)).toBe(expected));
