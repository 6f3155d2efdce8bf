import { isObject } from "../core/transcript/decode.ts";

/** What a field must be: a text that matches, or what the function takes. */
type Test = RegExp | ((value: unknown) => boolean);

const passes = (value: unknown, test: Test): boolean =>
	typeof test === "function" ? test(value) : typeof value === "string" && test.test(value);

/** Whether a value that came from elsewhere has each of these fields as it must be. */
export const fits = (value: unknown, form: Readonly<Record<string, Test>>): value is Record<string, unknown> =>
	isObject(value) && Object.entries(form).every(([name, test]) => passes(value[name], test));

/** Or there is nothing. */
export const optional =
	(test: Test, nothing: null | undefined = undefined) =>
	(value: unknown): boolean =>
		value === nothing || passes(value, test);

export const listOf =
	(test: Test) =>
	(value: unknown): boolean =>
		Array.isArray(value) && value.every((one) => passes(one, test));

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
export const isText = (value: unknown): value is string => typeof value === "string";
