import { SAMPLES } from "../../core/pressure/status-samples.ts";

/** A sample's name as it is typed behind `--zone`. */
export const slug = (name: string): string => name.replaceAll(" ", "-");

export const STATES = SAMPLES.map(({ name }) => slug(name));
