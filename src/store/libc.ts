import type { FFIFunction } from "bun:ffi";

/** Functions of the C library by their signatures. Throws where there is none ccg knows. */
export function libc<T extends Record<string, FFIFunction>>(functions: T) {
	const names =
		process.platform === "darwin"
			? ["libSystem.B.dylib"]
			: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
	// only where it is called: the status line comes by here and takes no lock
	const { dlopen } = require("bun:ffi") as typeof import("bun:ffi");
	let cause: unknown;
	for (const name of names) {
		try {
			return dlopen(name, functions).symbols;
		} catch (error) {
			cause = error;
		}
	}
	throw new Error(
		`${Object.keys(functions).join(", ")} not found in ${names.join(" or ")}; ccg runs on Linux and macOS`,
		{ cause },
	);
}
