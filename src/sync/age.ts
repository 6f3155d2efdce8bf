/** A bundle of its own: only spaces that are encrypted load it. */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";

export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
	const identity = await generateX25519Identity();
	return { identity, recipient: await identityToRecipient(identity) };
}

/** Encrypts to the valid recipients. An invalid one, which its member wrote itself, is skipped: it keeps nobody from writing. */
export async function encrypt(bytes: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
	const encrypter = new Encrypter();
	for (const one of recipients)
		try {
			const trial = new Encrypter();
			trial.addRecipient(one);
			await trial.encrypt(new Uint8Array());
			encrypter.addRecipient(one);
		} catch {}
	return encrypter.encrypt(bytes);
}

/** Bytes in which its members' stanzas end, some 150 each: every one is tried. */
const MAX_STANZAS = 40_000;

/** Throws where it is not for this identity, or was changed. */
export async function decrypt(bytes: Uint8Array, identity: string): Promise<Uint8Array> {
	if (!Buffer.from(bytes.subarray(0, MAX_STANZAS)).includes("\n---")) throw new Error("it is for too many machines");
	const decrypter = new Decrypter();
	decrypter.addIdentity(identity);
	return decrypter.decrypt(bytes);
}
