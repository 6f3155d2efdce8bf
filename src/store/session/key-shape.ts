import { isCheckpointKey } from "../../core/recovery/checkpoint.ts";
import { type Check, text } from "../shape.ts";

/** A checkpoint's key in a file: it leads to other files, so it has its form or the file is damaged. */
export const checkpointKeyText: Check<string> = (value) => {
	const key = text(value);
	if (!isCheckpointKey(key)) throw new Error("must be a checkpoint's key");
	return key;
};
