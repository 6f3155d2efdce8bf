/** A bundle of its own: only spaces that are encrypted load it. */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";

/** Makes a new pair of age keys: the private `identity`, and the `recipient` that others encrypt to. */
export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
	const identity = await generateX25519Identity();
	return { identity, recipient: await identityToRecipient(identity) };
}

/** Encrypts to the valid recipients. An invalid one, which its member wrote itself, is skipped: it must not keep others from writing. */
export async function encrypt(bytes: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
	const encrypter = new Encrypter();
	for (const recipient of recipients)
		try {
			const trial = new Encrypter();
			trial.addRecipient(recipient);
			await trial.encrypt(new Uint8Array());
			encrypter.addRecipient(recipient);
		} catch {}
	return encrypter.encrypt(bytes);
}

/** The stanzas of all members, some 150 bytes each, must end within so many bytes: decrypting tries every stanza. */
const MAX_STANZAS = 40_000;

/** Decrypts with this machine's identity. Throws where the bytes are not for it, or were changed. */
export async function decrypt(bytes: Uint8Array, identity: string): Promise<Uint8Array> {
	if (!Buffer.from(bytes.subarray(0, MAX_STANZAS)).includes("\n---")) throw new Error("it is for too many machines");
	const decrypter = new Decrypter();
	decrypter.addIdentity(identity);
	return decrypter.decrypt(bytes);
}
