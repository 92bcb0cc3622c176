import { expect, test } from "vitest";
import { iconFiles, withOwnImports } from "../scripts/icons-plugin.ts";

test("each icon is imported from its own file, under the name it has here", () => {
  const code = 'import { CircleQuestionMark, X as Close } from "lucide-react";\nuse(Close);\n';
  expect(withOwnImports(code, iconFiles())).toBe(
    'import CircleQuestionMark from "lucide-react/icons/circle-question-mark"; import Close from "lucide-react/icons/x";\nuse(Close);\n',
  );
});

test("lines stay where they are, types go, and what is no icon is left to the package", () => {
  const files = iconFiles();
  expect(withOwnImports('import {\n  Check,\n  type LucideIcon,\n} from "lucide-react";\n', files)).toBe(
    'import Check from "lucide-react/icons/check";\n\n\n\n',
  );
  const other = 'import { Check, createLucideIcon } from "lucide-react";\n';
  expect(withOwnImports(other, files)).toBe(other);
});
