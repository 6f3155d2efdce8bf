import * as z from "zod/mini";

/** No list of the store is as long; a file that says so is not ours. */
const MAX_ITEMS = 5_000;
const MAX_NAMES = 50_000;

export const listShape = <T extends z.core.SomeType>(item: T) => z.array(item).check(z.maxLength(MAX_ITEMS));

/** An object that maps names to values of one form. */
export const recordOf = <T extends z.core.SomeType>(value: T) =>
	z.record(z.string(), value).check(z.refine((found) => Object.keys(found).length <= MAX_NAMES));

/** What stands in a file of its own: its version comes first. */
export const storedShape = <F extends z.core.$ZodShape>(fields: F) => z.object({ version: z.literal(1), ...fields });
