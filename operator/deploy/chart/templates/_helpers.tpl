{{- define "rolecall-operator.name" -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "rolecall-operator.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rolecall-operator.labels" -}}
{{ include "rolecall-operator.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: rolecall
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "rolecall-operator.account" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "rolecall-operator.name" .) .Values.serviceAccount.name }}
{{- else }}
{{- required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- /* Whoever follows the same leads by the same Lease: releases of two teams in one namespace must not wait for each other. */}}
{{- define "rolecall-operator.lease-namespace" -}}
{{- default .Release.Namespace .Values.watchNamespace }}
{{- end }}

{{- /* Takes the root and a namespace whose Secrets are to be read: rights in a namespace that is not followed would be of no use. */}}
{{- define "rolecall-operator.followed" -}}
{{- $watched := (first .).Values.watchNamespace }}
{{- if and $watched (ne $watched (last .)) }}
{{- fail (printf "secrets names the namespace %s, but watchNamespace is %s, and rights are given in that one only" (last .) $watched) }}
{{- end }}
{{- end }}

{{- define "rolecall-operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "rolecall-operator.account" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "rolecall-operator.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}
