/** The path of the file that a call is made on, whatever the tool's name; `undefined` where its input names none. */
export function fileOf(input: Record<string, unknown>): string | undefined {
	const path = input.file_path ?? input.notebook_path;
	return typeof path === "string" && path.length < 1_000 ? path : undefined;
}

/** The texts that a call replaces in its file and what it puts there, by the shape of its input; `null` where it is no edit. */
export function editsIn(input: Record<string, unknown>): { before: string; after: string }[] | null {
	if (fileOf(input) === undefined) return null;
	const parts = (Array.isArray(input.edits) ? input.edits : [input]).map(Object);
	const edits = parts.flatMap(({ old_string: before, new_string, new_source, content }) => {
		const after = [new_string, new_source, content].find((one) => typeof one === "string");
		return after === undefined ? [] : [{ before: typeof before === "string" ? before : "", after }];
	});
	return edits.length > 0 ? edits : null;
}
