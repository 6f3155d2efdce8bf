import { afterEach } from "vitest";
import { closeSandboxes } from "./claude-sandbox.ts";

afterEach(closeSandboxes);
