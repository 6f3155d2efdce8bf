import {
	createCipheriv,
	createDecipheriv,
	createPrivateKey,
	createPublicKey,
	diffieHellman,
	generateKeyPairSync,
	hkdfSync,
	type KeyObject,
	randomBytes,
	sign,
	verify,
} from "node:crypto";
import { sha256 } from "../store/gate.ts";

/** What others know a machine by: Ed25519 for signatures and X25519 for what is sealed to it, each in base64url. */
export interface PublicKeys {
	sign: string;
	seal: string;
}

type JsonWebKey = Record<string, string | undefined> & { x?: string };

/** The private half, as JSON Web Keys. */
export interface Keys {
	sign: JsonWebKey;
	seal: JsonWebKey;
}

/** 32 bytes in base64url. */
export const KEY = /^[\w-]{43}$/;
const CURVES = { sign: "Ed25519", seal: "X25519" } as const;

export function newKeys(): Keys {
	const jwk = (key: KeyObject) => key.export({ format: "jwk" }) as JsonWebKey;
	return { sign: jwk(generateKeyPairSync("ed25519").privateKey), seal: jwk(generateKeyPairSync("x25519").privateKey) };
}

export const publicOf = ({ sign: { x: own = "" }, seal: { x = "" } }: Keys): PublicKeys => ({ sign: own, seal: x });

/** A machine's id is made of its keys, so nobody else can take it. */
export const machineOf = ({ sign: own, seal }: PublicKeys): string => sha256(`ccg machine ${own} ${seal}`).slice(0, 32);

export const newId = (): string => randomBytes(16).toString("hex");

const privateKey = (key: JsonWebKey): KeyObject => createPrivateKey({ key: key as object, format: "jwk" });

const opened = new Map<string, KeyObject>();
function publicKey(x: string, use: keyof typeof CURVES): KeyObject {
	const known = opened.get(use + x);
	if (known) return known;
	const key = createPublicKey({ key: { kty: "OKP", crv: CURVES[use], x }, format: "jwk" });
	opened.set(use + x, key);
	return key;
}

/** A line that its maker signed: the signature, a space, the text. `what` keeps one kind of line from being taken for another. */
export function signedLine(what: string, text: string, keys: Keys): Uint8Array {
	const signature = sign(null, Buffer.from(`ccg ${what}\n${text}`), privateKey(keys.sign));
	return Buffer.from(`${signature.toString("base64url")} ${text}`);
}

/** The text of a signed line, unless it was signed by somebody else; the text alone says by whom. `null` where it is no such line. */
export function openLine(
	bytes: Uint8Array,
): { text: string; isSignedBy(what: string, keys: PublicKeys): boolean } | null {
	const line = Buffer.from(bytes).toString("utf8");
	const text = line.slice(87);
	// (what is no UTF-8 would be signed as other bytes)
	if (!/^[\w-]{86} \{/.test(line.slice(0, 88)) || Buffer.byteLength(line) !== bytes.length) return null;
	const signature = Buffer.from(line.slice(0, 86), "base64url");
	const isSignedBy = (what: string, keys: PublicKeys): boolean => {
		try {
			return verify(null, Buffer.from(`ccg ${what}\n${text}`), publicKey(keys.sign, "sign"), signature);
		} catch {
			return false;
		}
	};
	return { text, isSignedBy };
}

/** AES-256-GCM: nonce, text, tag, in base64url. */
export function seal(text: string, key: Uint8Array, about: string): string {
	const nonce = randomBytes(12);
	const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(about));
	const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
	return Buffer.concat(sealed).toString("base64url");
}

/** `null` where the key is another one, or a byte was changed. */
export function unseal(sealed: string, key: Uint8Array, about: string): string | null {
	const bytes = Buffer.from(sealed, "base64url");
	if (bytes.length < 28) return null;
	const cipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(Buffer.from(about));
	cipher.setAuthTag(bytes.subarray(-16));
	try {
		return Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]).toString("utf8");
	} catch {
		return null;
	}
}

const shared = (own: KeyObject, other: string): Uint8Array => {
	const secret = diffieHellman({ privateKey: own, publicKey: publicKey(other, "seal") });
	return new Uint8Array(hkdfSync("sha256", secret, "", "ccg sync", 32));
};

/** A content key that the machine of these keys alone can read: by a key pair of this once. */
export function wrapKey(content: string, to: PublicKeys, about: string): string {
	const once = generateKeyPairSync("x25519");
	const { x = "" } = once.publicKey.export({ format: "jwk" }) as JsonWebKey;
	return `${x}.${seal(content, shared(once.privateKey, to.seal), about)}`;
}

export function unwrapKey(wrapped: string, keys: Keys, about: string): string | null {
	const [from = "", sealed = ""] = wrapped.split(".");
	if (!KEY.test(from)) return null;
	try {
		return unseal(sealed, shared(privateKey(keys.seal), from), about);
	} catch {
		return null;
	}
}
