/** The path of the file that a call is made on, whatever the tool's name; `undefined` where its input names none. */
export function inputFilePath(input: Record<string, unknown>): string | undefined {
	const path = input.file_path ?? input.notebook_path;
	return typeof path === "string" && path.length < 1_000 ? path : undefined;
}

/** Reads from a call's input the texts that it replaces in its file, and what it puts there; `null` where it is no edit. */
export function readEdits(input: Record<string, unknown>): { before: string; after: string }[] | null {
	if (inputFilePath(input) === undefined) return null;
	const inputs = (Array.isArray(input.edits) ? input.edits : [input]).map(Object);
	const edits = inputs.flatMap(({ old_string: before, new_string, new_source, content }) => {
		const after = [new_string, new_source, content].find((value) => typeof value === "string");
		return after === undefined ? [] : [{ before: typeof before === "string" ? before : "", after }];
	});
	return edits.length > 0 ? edits : null;
}
