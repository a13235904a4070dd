// The page of one profile begins.

import { begin } from "./app.js";
import { start } from "./main.js";
import { Profile } from "./profile.js";

begin((columns) => start(new Profile(columns)));
