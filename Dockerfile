# One image for the operator and the service: `rolecall operator`, `rolecall serve`. It is built from a checkout, with nothing but what
# npm brings. Pin the base by a digest of your own registry: --build-arg BASE=images.example.com/node@sha256:…
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
# A registry of your own, or the authority of a proxy: --secret id=npmrc,src=FILE. Neither this nor the cache is in the image.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
RUN npm run build
RUN npm run --silent release -- --packages
# The package has its dependencies in it, in the versions of package-lock.json: nothing is resolved anew.
RUN mkdir -p /app && tar -xzf dist/release/npm/rolecall-[0-9]*.tgz -C /app --strip-components=1

FROM ${BASE}
# Nothing is installed in what runs.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
ENV NODE_ENV=production
COPY --from=build /app /app
# By its number: a cluster sees that it is not root.
USER 65532:65532
WORKDIR /tmp
# Metrics and probes of the operator, and the service.
EXPOSE 8080 8081 8480
ENTRYPOINT ["node", "--max-semi-space-size=4", "/app/dist/main.js"]
CMD ["operator"]
