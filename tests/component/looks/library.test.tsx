import { test } from "vitest";
import { look } from "../support/look.ts";
import { SCREENS } from "./library.ts";

test.for(SCREENS)("$name is accessible and readable in both themes, at every width", look);
