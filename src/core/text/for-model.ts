import { withoutForeignSpeakers } from "./host-marks.ts";
import { visible } from "./invisible.ts";

/** What goes to the model, whatever it was made of: the one gate on the way out, beside redaction. */
export const forModel = (text: string): string => withoutForeignSpeakers(visible(text)).toWellFormed();
