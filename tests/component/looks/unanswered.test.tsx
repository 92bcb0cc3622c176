import { test } from "vitest";
import { look } from "../support/look.ts";
import { SCREENS } from "../support/screens.ts";

test.for(SCREENS.unanswered)("$name is accessible and readable in both themes, at every width", look);
