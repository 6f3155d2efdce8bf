import * as z from "zod/mini";

/** No list of the store is longer; a file with a longer one is not ccg's. */
const MAX_ITEMS = 5_000;
const MAX_NAMES = 50_000;
/** The shape of a list whose items have this shape. */
export const boundedListShape = <T extends z.core.SomeType>(item: T) => z.array(item).check(z.maxLength(MAX_ITEMS));

/** The shape of an object that maps names to values of this shape. */
export const mapShape = <T extends z.core.SomeType>(value: T) =>
	z.record(z.string(), value).check(z.refine((found) => Object.keys(found).length <= MAX_NAMES));

/** The shape of an object that is stored in a file of its own: its version comes first. */
export const storedShape = <F extends z.core.$ZodShape>(fields: F) => z.object({ version: z.literal(1), ...fields });
