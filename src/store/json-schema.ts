import type * as z from "zod/mini";

/** The part of JSON Schema that stored shapes use. Plain data: hot entries check by it without a library. */
export interface JsonSchema {
	type?: string | readonly string[];
	const?: unknown;
	enum?: readonly unknown[];
	anyOf?: readonly JsonSchema[];
	properties?: Readonly<Record<string, JsonSchema>>;
	required?: readonly string[];
	/** Without it fields that are not named stay: a later release of the same version may have added them. */
	additionalProperties?: JsonSchema;
	propertyNames?: JsonSchema;
	maxProperties?: number;
	items?: JsonSchema | false;
	prefixItems?: readonly JsonSchema[];
	minItems?: number;
	maxItems?: number;
	maxLength?: number;
	pattern?: string;
	minimum?: number;
}

/** The data of one of zod's schemas. */
export interface ShapeOf<S extends z.core.SomeType> extends JsonSchema {
	/** For the type alone: never there. */
	"~output"?: z.output<S>;
}

/** What such a file says beside its version. */
export type Content<S extends z.core.SomeType> = Omit<z.output<S>, "version">;

/** Gives the value, or what is wrong with it and where. Zod's schemas are of this form too. */
export interface Schema<T> {
	safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
}

interface Issue {
	path: readonly PropertyKey[];
	message: string;
}

/** The data as a schema; gives the value it was handed. */
export const checkedBy = <S extends z.core.SomeType>(shape: ShapeOf<S>): Schema<z.output<S>> => ({
	safeParse: (value) => {
		const issue = issueOf(value, shape);
		return issue ? { success: false, error: { issues: [issue] } } : { success: true, data: value as z.output<S> };
	},
});

function issueOf(value: unknown, schema: JsonSchema): Issue | null {
	if (schema.anyOf) {
		const issues = schema.anyOf.map((one) => issueOf(value, one));
		return issues.includes(null) ? null : issues[0]!;
	}
	if (schema.type && !isOfType(value, schema.type)) return issue(`must be of type ${schema.type}`);
	if (schema.const !== undefined && value !== schema.const) return issue(`must be ${JSON.stringify(schema.const)}`);
	if (schema.enum && !schema.enum.includes(value)) return issue(`must be one of ${schema.enum.join(", ")}`);
	if (typeof value === "string") return issueOfText(value, schema);
	if (typeof value === "number")
		return value < (schema.minimum ?? value) ? issue(`must be at least ${schema.minimum}`) : null;
	if (Array.isArray(value)) return issueOfList(value, schema);
	return value !== null && typeof value === "object" ? issueOfObject(value as Record<string, unknown>, schema) : null;
}

const issue = (message: string, ...path: PropertyKey[]): Issue => ({ path, message });

function isOfType(value: unknown, type: string | readonly string[]): boolean {
	const own = typeOf(value);
	return typeof type === "string" ? type === own : type.includes(own);
}

/** As JSON Schema names it; a number that JSON can't hold is none. */
function typeOf(value: unknown): string {
	if (value === null) return "null";
	if (typeof value === "number") return Number.isFinite(value) ? "number" : "no finite number";
	return Array.isArray(value) ? "array" : typeof value;
}

function issueOfText(value: string, { maxLength = Number.POSITIVE_INFINITY, pattern }: JsonSchema): Issue | null {
	if (value.length > maxLength) return issue(`must have ${maxLength} characters at most`);
	return pattern !== undefined && !compiled(pattern).test(value) ? issue(`must match ${pattern}`) : null;
}

/** Made once each: a snapshot holds thousands of texts. */
const PATTERNS = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
	const made = PATTERNS.get(pattern) ?? new RegExp(pattern);
	PATTERNS.set(pattern, made);
	return made;
}

function issueOfList(list: unknown[], { items, prefixItems, minItems = 0, maxItems }: JsonSchema): Issue | null {
	if (list.length < minItems) return issue(`must have ${minItems} items at least`);
	if (maxItems !== undefined && list.length > maxItems) return issue(`must have ${maxItems} items at most`);
	for (let i = 0; i < list.length; i++) {
		const schema = prefixItems?.[i] ?? items;
		const found = schema ? issueOf(list[i], schema) : null;
		if (found) return issue(found.message, String(i), ...found.path);
	}
	return null;
}

function issueOfObject(object: Record<string, unknown>, schema: JsonSchema): Issue | null {
	const { properties = {}, required = [], maxProperties = Number.POSITIVE_INFINITY } = schema;
	const names = Object.keys(object);
	if (names.length > maxProperties) return issue(`must have ${maxProperties} names at most`);
	for (const name of required) if (!Object.hasOwn(object, name)) return issue("is missing", name);
	for (const name of names) {
		const named = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
		const found =
			(schema.propertyNames && issueOf(name, schema.propertyNames)) ?? (named && issueOf(object[name], named));
		if (found) return issue(found.message, name, ...found.path);
	}
	return null;
}
