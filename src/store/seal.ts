/** SHA-256 of a JSON text, in hex. Not a signature: it tells damage and changes by hand, not who wrote it. */
export const sealOf = (json: string): string => new Bun.CryptoHasher("sha256").update(json).digest("hex");

/** Whether a value read from a file is the one that was sealed, however the file is laid out; `none`: it has no seal. */
export function checkSeal(value: Record<string, unknown>): "good" | "none" | "broken" {
	const { sha256, ...content } = value;
	if (sha256 === undefined) return "none";
	return sha256 === sealOf(JSON.stringify(content)) ? "good" : "broken";
}
