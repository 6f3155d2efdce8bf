/** Makes `src/store/shapes.generated.ts`: what `src/store/stored-shapes.ts` declares, as data. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import * as declared from "../src/store/stored-shapes.ts";

export const GENERATED = join(import.meta.dirname, "..", "src", "store", "shapes.generated.ts");

export function shapesText(): string {
	const byName = Object.entries(declared).sort(([a], [b]) => (a < b ? -1 : 1));
	const consts = byName.map(([name, schema]) => {
		const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: "input" });
		return `export const ${name}: ShapeOf<typeof declared.${name}> = ${JSON.stringify(shape)};\n`;
	});
	return `${HEAD}${consts.join("")}`;
}

const HEAD = `// Made by scripts/write-shapes.ts from stored-shapes.ts; not edited by hand.
import type { ShapeOf } from "./json-schema.ts";
import type * as declared from "./stored-shapes.ts";

`;

if (import.meta.main) writeFileSync(GENERATED, shapesText());
