import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import { GENERATED, shapesText } from "../../scripts/write-shapes.ts";
import { checkedBy, type JsonSchema } from "../../src/store/json-schema.ts";
import * as generated from "../../src/store/shapes.generated.ts";
import * as declared from "../../src/store/stored-shapes.ts";

const KEYWORDS =
	/^(type|const|enum|anyOf|properties|required|additionalProperties|propertyNames|maxProperties|items|prefixItems|minItems|maxItems|maxLength|pattern|minimum)$/;
const SHAPES = Object.entries(generated) as [keyof typeof declared, JsonSchema][];
const zods = declared as Record<string, z.ZodMiniType>;

test("the data is what the schemas declare: npx bun scripts/write-shapes.ts", () => {
	expect(readFileSync(GENERATED, "utf8")).toBe(shapesText());
	expect(SHAPES.map(([name]) => name).sort()).toEqual(Object.keys(declared).sort());
});

describe.each(SHAPES)("%s", (name, shape) => {
	const agree = (value: unknown): boolean => {
		const { success } = zods[name]!.safeParse(value);
		expect(checkedBy(shape).safeParse(value).success, JSON.stringify(value)).toBe(success);
		return success;
	};

	test("uses no keyword that the check does not know", () => {
		expect(keywordsOf(shape).filter((word) => !KEYWORDS.test(word))).toEqual([]);
	});

	test("the check takes and refuses what zod takes and refuses", () => {
		fc.assert(
			fc.property(valueFor(shape), (value) => void expect(agree(value), JSON.stringify(value)).toBe(true)),
			{ numRuns: 60 },
		);
		fc.assert(
			fc.property(valueFor(shape), fc.infiniteStream(fc.nat()), JUNK, (value, picks, junk) => {
				agree(spoiled(value, picks, junk));
			}),
			{ numRuns: 300 },
		);
	});
});

test("a list of too many items, a map of too many names", () => {
	const seen = Array.from({ length: 5_001 }, () => ({ uuid: "u", preTokens: 1 }));
	const names = Object.fromEntries(Array.from({ length: 50_001 }, (_, i) => [`m${i}`, []]));
	for (const observed of [{ m: seen }, names]) {
		const file = { version: 1, observed };
		expect(declared.observedTriggers.safeParse(file).success).toBe(false);
		expect(checkedBy(generated.observedTriggers).safeParse(file).success).toBe(false);
	}
	const checked = checkedBy(generated.observedTriggers).safeParse({
		version: 1,
		observed: { m: [{ uuid: 5, preTokens: 1 }] },
	});
	expect(checked).toMatchObject({ error: { issues: [{ path: ["observed", "m", "0", "uuid"] }] } });
});

/** Anything that may stand in a file in place of what belongs there. */
const JUNK = fc.oneof(
	fc.constantFrom(null, "", [], {}, true, Number.POSITIVE_INFINITY, -1, "x".repeat(20_001), [1, 2], [1, 2, 3, 4]),
	fc.jsonValue(),
);

function keywordsOf(schema: JsonSchema): string[] {
	const { properties = {}, anyOf = [], prefixItems = [], items, additionalProperties, propertyNames } = schema;
	const parts = [...Object.values(properties), ...anyOf, ...prefixItems, items, additionalProperties, propertyNames];
	return [...Object.keys(schema), ...parts.flatMap((part) => (part ? keywordsOf(part) : []))];
}

/** Values that meet a schema. */
function valueFor(schema: JsonSchema): fc.Arbitrary<unknown> {
	if (schema.const !== undefined) return fc.constant(schema.const);
	if (schema.enum) return fc.constantFrom(...schema.enum);
	if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor));
	const types = [schema.type ?? "any"].flat();
	return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
	if (type === "null") return fc.constant(null);
	if (type === "boolean") return fc.boolean();
	if (type === "number")
		return fc.double({ noNaN: true, noDefaultInfinity: true, min: schema.minimum ?? -Number.MAX_VALUE });
	if (type === "string")
		return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern), { maxLength: 40 }) : fc.string();
	if (type === "array")
		return schema.prefixItems
			? fc.tuple(...schema.prefixItems.map(valueFor))
			: fc.array(valueFor(schema.items || {}), { maxLength: 3 });
	if (type === "object") return schema.properties ? objectOf(schema) : mapOf(schema);
	return fc.jsonValue();
}

const objectOf = ({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> =>
	fc.record(Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valueFor(part)])), {
		requiredKeys: [...required],
	});

/** Zod leaves out a name that every object has. */
const mapOf = ({ propertyNames = {}, additionalProperties = {} }: JsonSchema): fc.Arbitrary<unknown> =>
	fc.dictionary(
		(valueFor(propertyNames) as fc.Arbitrary<string>).filter((name) => name !== "__proto__"),
		valueFor(additionalProperties),
		{ maxKeys: 3 },
	);

/** The value with one of its parts taken away, put in place of, or added to. */
function spoiled(value: unknown, picks: Iterator<number>, junk: unknown): unknown {
	const pick = (count: number): number => picks.next().value % count;
	if (value === null || typeof value !== "object" || pick(4) === 0) return junk;
	const names = Object.keys(value);
	const copy = Array.isArray(value) ? [...value] : { ...value };
	const fields = copy as Record<string, unknown>;
	const name = names[pick(names.length + 1)];
	if (name === undefined) fields[Array.isArray(copy) ? copy.length : "more"] = junk;
	else if (pick(4) === 0 && !Array.isArray(copy)) delete fields[name];
	else fields[name] = spoiled(fields[name], picks, junk);
	return copy;
}
