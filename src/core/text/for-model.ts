import { withoutHostMarks } from "./host-marks.ts";
import { visible } from "./invisible.ts";

/**
 * What goes to the model, whatever it was made of: the one gate on the way out, beside redaction. That a text of others begins
 * no line is not its work: it was quoted where it was put in.
 */
export const forModel = (text: string): string => withoutHostMarks(visible(text)).toWellFormed();
