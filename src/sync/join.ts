import { sha256 } from "../store/gate.ts";
import { type Document, newValue, type Value, valuesOf } from "./document.ts";
import { codeOf, type Opened } from "./space.ts";

// A machine that asks shows a code that only it can come to, and that no carrier ever sees. Its document holds a proof that its key knows the
// code; a member that the code is typed on looks for that proof, so nobody between them can put in another key. It answers with a proof
// of its own, by which the new machine knows whom to believe.

const plainCode = (code: string): string => code.toLowerCase().replace(/[\s-]/g, "");
const proofOf = (what: "ask" | "in", space: string, code: string, ...machines: string[]): string =>
	sha256(`ccg ${what} ${space} ${machines.join(" ")} ${plainCode(code)}`);

/** What a machine that asks says. */
export const askingValue = (opened: Opened, own: Document): Value =>
	newValue(own, {
		...{ item: "ask", kind: "ask", project: "", at: opened.now().toISOString() },
		text: proofOf("ask", opened.space.id, codeOf(opened), opened.self.id),
	});

export const isAsking = (document: Document): boolean => valuesOf(document, "ask").length > 0;

/** Whether the code that was typed is that of the machine whose document it is. */
export const isOfCode = ({ space }: Opened, document: Document, code: string): boolean =>
	valuesOf(document, "ask").some(({ text }) => text === proofOf("ask", space.id, code, document.machine));

/** What says that a machine was let in by its code. */
export const letInText = ({ space, self }: Opened, machine: string, code: string): string =>
	proofOf("in", space.id, code, self.id, machine);

/** Whether the machine of a document has let this one in, which asks. */
export function letInBy(opened: Opened, document: Document, own: Document): boolean {
	if (!isAsking(own)) return false;
	const { space, self } = opened;
	const proof = proofOf("in", space.id, codeOf(opened), document.machine, self.id);
	return valuesOf(document, "member").some(({ item, text }) => item === self.id && text === proof);
}
