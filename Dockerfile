# One image for the operator and the service: `rolecall operator`, `rolecall serve`. It is built from a checkout, with nothing but what
# npm brings. Pin the base by a digest of your own registry: --build-arg BASE=images.example.com/node@sha256:…
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN npm run build
RUN mkdir -p /packages && for part in api crds reconcile server provider operator cli; do npm pack --silent --pack-destination /packages ./$part; done
RUN mkdir -p /app && npm install --prefix /app --omit=dev --ignore-scripts --no-audit --no-fund /packages/*.tgz

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
ENTRYPOINT ["node", "--max-semi-space-size=4", "/app/node_modules/rolecall/dist/main.js"]
CMD ["operator"]
