/* Bundles the code editor: npm ci && npm run build. The result is committed; the same lockfile gives the same bytes. */
import * as esbuild from "esbuild";

const options = {
  entryPoints: ["src/editor.js"],
  outfile: "../static/dist/editor.js",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome111", "firefox115", "safari16.4"],
  charset: "utf8",
  legalComments: "eof",
};

if (process.argv.includes("--watch")) {
  const context = await esbuild.context({ ...options, minify: false });
  await context.watch();
} else {
  await esbuild.build(options);
}
