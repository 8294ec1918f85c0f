package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "rolecall.dev", Version: "v1alpha1"}

// Person has the fields of the kind that the measured work needs.
type Person struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PersonSpec   `json:"spec"`
	Status            PersonStatus `json:"status,omitempty"`
}

type PersonSpec struct {
	Username string `json:"username,omitempty"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Locked   bool   `json:"locked,omitempty"`
}

type PersonStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	ID                 string             `json:"id,omitempty"`
	Username           string             `json:"username,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type PersonList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Person `json:"items"`
}

func (in *Person) DeepCopyInto(out *Person) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Status.Conditions != nil {
		out.Status.Conditions = make([]metav1.Condition, len(in.Status.Conditions))
		copy(out.Status.Conditions, in.Status.Conditions)
	}
}

func (in *Person) DeepCopy() *Person {
	out := new(Person)
	in.DeepCopyInto(out)
	return out
}

func (in *Person) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *PersonList) DeepCopyObject() runtime.Object {
	out := &PersonList{TypeMeta: in.TypeMeta, Items: make([]Person, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Person{}, &PersonList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme, corev1.AddToScheme(scheme)
}
